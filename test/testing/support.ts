import { http } from 'msw';
import { setupServer } from 'msw/node';
import { PaymentsClient, type PaymentsClientOptions } from 'pix-automatic-sdk';
import { type FakeClock, fakeClock, fixtures, mockService } from 'pix-automatic-sdk/testing';
import { onTestFinished } from 'vitest';
import type { MockServiceOptions } from '../../src/testing/mock-service';

export const credentials = { apiKey: 'merchant-api-key', apiToken: 'merchant:api-token' };

type Options = Partial<MockServiceOptions<unknown>> & { clock?: FakeClock };

/** A mocked service under msw, closed when its test ends. */
export function openMockService(options: Options = {}) {
  const clock = options.clock ?? fakeClock();
  const service = mockService({ credentials, ...options, http, clock });
  const server = setupServer(...service.handlers);
  server.listen({ onUnhandledRequest: 'bypass' });
  onTestFinished(async () => {
    server.close();
    await service.close();
  });
  const client = (clientOptions: Partial<PaymentsClientOptions> = {}) =>
    new PaymentsClient({ baseUrl: service.url, ...service.credentials, ...clientOptions });
  return { service, clock, client };
}

/** A mocked service with one journey. */
export async function openJourney(options: Options = {}) {
  const opened = openMockService(options);
  const { response } = await opened.client().createRecurringCheckout(fixtures.recurringCheckoutRequest());
  return { ...opened, response, uuid: response.uuid };
}

/**
 * For a merchant's tests, with any test runner. Nothing here is for production.
 *
 * @module pix-automatic-sdk/testing
 */

export { basicAuthorization } from '../webhooks/authorization';
export { type FakeClock, fakeClock } from './fake-clock';
export { fixtures } from './fixtures/fixtures';
export type { Overrides } from './fixtures/make-fixture';
export type { PaymentPayload } from './fixtures/notifications';
export { type MockService, type MockServiceOptions, type MswHttp, mockService } from './mock-service';
export {
  type NotificationOverrides,
  type NotificationRequestOptions,
  notificationRequest,
} from './notification-request';
export type { DeliverTo } from './signed-request';

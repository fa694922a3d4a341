import { describe, expect, it } from 'vitest';
import { createWebhookHandler, type WebhookHandler, type WebhookReport } from '../../src/webhooks';
import { credentials, deliver } from '../helpers/deliver';

/** Serves the handler on a path of a real server until the test ends. Returns the URL of that path. */
export type Serve = (handler: WebhookHandler) => Promise<string>;

const payment = {
  saleToken: '5dbc4bd6-0b8d-4c5c-9f9b-6c9f7f0a1a11',
  referenceCode: 'order-1 é',
  currency: 'BRL',
  amount: 19.9,
  date: '2026-01-05 10:00:00',
  newStatus: 'PAID',
};

const refund = {
  saleToken: payment.saleToken,
  status: 'PAID',
  refund: { uuid: 'r-1', status: 'PAID', amount: 5 },
};

/**
 * What a merchant relies on, whatever framework the handler runs in.
 *
 * @param getStatus - the status for a GET: another one where the framework routes POST alone
 */
export function testFramework(name: string, serve: Serve, getStatus = 405): void {
  describe(name, () => {
    async function start() {
      const acted: unknown[] = [];
      const urls: string[] = [];
      const reports: WebhookReport[] = [];
      const failures: Error[] = [];
      const act = ({ key }: { readonly key: string }) => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        acted.push(key);
      };
      const handler = createWebhookHandler({
        credentials,
        on: {
          payment(notification) {
            act(notification);
            expect(notification.raw).toEqual(payment);
          },
          refund: act,
        },
        getAuthorization({ url, headers }) {
          urls.push(url);
          return headers.get('authorization');
        },
        onReport: (report) => reports.push(report),
      });
      return { url: await serve(handler), acted, urls, reports, failures };
    }

    const paymentKey = `payment:${payment.saleToken}:PAID`;

    it('acts on a payment once, and answers its duplicate 200 without acting', async () => {
      const { url, acted } = await start();
      expect(await deliver(url, payment)).toMatchObject({ status: 200, body: 'OK' });
      expect(await deliver(url, payment)).toMatchObject({ status: 200, body: 'OK' });
      expect(acted).toEqual([paymentKey]);
    });

    it('answers 401 with WWW-Authenticate to wrong credentials', async () => {
      const { url, acted, reports } = await start();
      const answer = await deliver(url, payment, { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
      expect(reports).toMatchObject([{ code: 'unauthorized', reason: 'mismatch' }]);
      expect(acted).toEqual([]);
    });

    it('keeps the query, and so recognizes a refund by its flag', async () => {
      const { url, acted, urls, reports } = await start();
      expect((await deliver(`${url}?refund=true&type=refund`, refund)).status).toBe(200);
      expect(acted).toEqual(['refund:r-1:PAID']);
      expect(urls[0]).toMatch(/\?refund=true&type=refund$/);

      // By its body this is a payment. The flag contradicts that, so the callback does not run.
      expect((await deliver(`${url}?type=refund`, payment)).status).toBe(400);
      expect(reports).toMatchObject([{ code: 'invalid_notification' }]);
      expect(acted).toHaveLength(1);
    });

    it(`answers ${getStatus} to GET`, async () => {
      const { url } = await start();
      expect((await deliver(url, undefined, { method: 'GET' })).status).toBe(getStatus);
    });

    it.each(['with its length', 'in chunks'])(
      'answers 413 to a body over the limit, sent %s',
      async (how) => {
        const { url, acted } = await start();
        const body = JSON.stringify({ ...payment, filler: 'x'.repeat(2 * 1024 * 1024) });
        const length =
          how === 'in chunks'
            ? { 'transfer-encoding': 'chunked' }
            : { 'content-length': String(Buffer.byteLength(body)) };
        expect((await deliver(url, body, { headers: length })).status).toBe(413);
        expect(acted).toEqual([]);
      },
    );

    it('answers 500 when the callback throws, without its words, and 200 when it comes again', async () => {
      const { url, acted, reports, failures } = await start();
      const failure = new Error('out of stock: 4111 1111');
      failures.push(failure);
      const failed = await deliver(url, payment);
      expect(failed).toMatchObject({ status: 500, body: 'Internal error' });
      expect(reports).toMatchObject([{ code: 'callback_failed', error: failure, key: paymentKey }]);

      expect((await deliver(url, payment)).status).toBe(200);
      expect(acted).toEqual([paymentKey]);
    });
  });
}

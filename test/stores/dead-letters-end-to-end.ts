import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { DeadLetters } from '../../src/stores';
import { createWebhookHandler, type IdempotencyStore, toNodeListener } from '../../src/webhooks';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { credentials, salePayload } from '../webhooks/support';

/** Where a callback writes, and how often it wrote there. */
export interface Ledger<Transaction> {
  write(id: string, transaction: Transaction): Promise<unknown>;
  count(id: string): Promise<number>;
}

/** For callbacks that write outside the store’s transaction. */
export function ledgerInMemory(): Ledger<unknown> {
  const ids: string[] = [];
  return {
    write: async (id) => ids.push(id),
    count: async (id) => ids.filter((each) => each === id).length,
  };
}

/** A bug in a callback, from the first delivery to the last replay, over real HTTP. `open` gives a prepared store. */
export function testDeadLettersEndToEnd<Transaction>(
  name: string,
  open: () => Promise<{
    readonly store: IdempotencyStore<Transaction>;
    readonly deadLetters: DeadLetters;
    readonly ledger: Ledger<Transaction>;
  }>,
): void {
  describe(`${name}: a notification whose callback has a bug`, () => {
    async function failSixTimes() {
      const { store, deadLetters, ledger } = await open();
      const id = `sale-${randomUUID()}`;
      const key = `payment:${id}:PAID`;
      const bug = { isFixed: false };
      const callback = new Gate();
      const handler = createWebhookHandler<readonly [], Transaction>({
        credentials,
        store,
        deadLetters,
        on: {
          payment: async ({ payload }, { transaction }) => {
            // Without a transaction, a write before the error would stay: nothing would roll it back.
            if (!bug.isFixed && store.transact === undefined) throw new TypeError('a bug');
            await ledger.write(payload.saleToken, transaction);
            if (!bug.isFixed) throw new TypeError('a bug');
            await callback.pass();
          },
        },
        onReport: () => undefined,
      });
      const body = { ...salePayload(), saleToken: id };
      const url = await listen(createServer(toNodeListener(handler)));
      const pay = async () => (await deliver(url, body)).status;
      const kept = async () => (await deadLetters.list()).filter((each) => each.key === key);
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt += 1) statuses.push(await pay());
      expect(statuses).toEqual([500, 500, 500, 500, 500, 500]);
      expect(await ledger.count(id)).toBe(0);
      const [entry] = await kept();
      if (entry === undefined) throw new Error('not kept');
      bug.isFixed = true;
      return { handler, ledger, id, key, body, pay, kept, entry, callback };
    }

    it('is kept after six deliveries answered 500, and acted on once by a replay', async () => {
      const { handler, ledger, id, key, body, pay, kept, entry, callback } = await failSixTimes();
      expect(entry).toMatchObject({ key, attempts: 6, code: 'callback_failed', errorName: 'TypeError' });
      expect(JSON.parse(entry.body)).toEqual(body);
      expect(JSON.stringify(entry)).not.toContain('a bug');

      callback.close();
      const replayed = handler.replay([entry]);
      await callback.reached;
      // While the replay runs, a delivery gets 503. The delivery after it finds the state done.
      expect(await pay()).toBe(503);
      callback.open();
      expect(await replayed).toEqual([{ key, status: 'done' }]);
      expect([await ledger.count(id), await kept()]).toEqual([1, []]);
      expect(await pay()).toBe(200);
      expect(await handler.replay([entry])).toEqual([{ key, status: 'done' }]);
      expect([await ledger.count(id), await kept()]).toEqual([1, []]);
    });

    it('is busy for a replay while a delivery acts on it, and the delivery takes it out', async () => {
      const { handler, ledger, id, key, pay, kept, entry, callback } = await failSixTimes();
      callback.close();
      const delivered = pay();
      await callback.reached;
      expect(await handler.replay([entry])).toEqual([{ key, status: 'busy', code: 'busy' }]);
      expect(await kept()).toHaveLength(1);
      callback.open();
      expect(await delivered).toBe(200);
      expect([await ledger.count(id), await kept()]).toEqual([1, []]);
      expect(await handler.replay([entry])).toEqual([{ key, status: 'done' }]);
      expect(await ledger.count(id)).toBe(1);
    });
  });
}

/** Holds a callback up from `close` to `open`. */
class Gate {
  open: () => void = () => undefined;
  /** Resolves once a callback is held up. */
  reached: Promise<void> = Promise.resolve();
  #reach: () => void = () => undefined;
  #opened: Promise<void> = Promise.resolve();

  close(): void {
    this.#opened = new Promise((resolve) => {
      this.open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  async pass(): Promise<void> {
    this.#reach();
    await this.#opened;
  }
}

import { PaymentsClient, reconcile } from '../../../src';
import {
  JourneyConflictError,
  JourneyJournal,
  type JourneyRecord,
  type JourneyRecords,
} from '../../../src/journal';
import { basicAuthorization } from '../../../src/testing';
import { createWebhookHandler, type IdempotencyStore, type WebhookHandler } from '../../../src/webhooks';
import { after, pause, time } from './virtual-time';
import { credentials, DAY, type Order, type World } from './world';

/** One process of a merchant: shop, journal, listener, daily jobs. It ends with a crash, and another one starts. */
export class Merchant {
  isDead = false;
  readonly #world: World;
  readonly #client: PaymentsClient;
  readonly #journal: JourneyJournal;
  readonly #handler: WebhookHandler;
  /** Only with the plant `intent in a transaction`: what no other process sees. */
  readonly #uncommitted: JourneyRecord[] = [];

  constructor(world: World) {
    this.#world = world;
    const client = new PaymentsClient({
      ...credentials,
      baseUrl: 'https://service.example',
      maxRetries: 0,
      fetch: (input, init) => {
        const body = typeof init?.body === 'string' ? init.body : '';
        return this.#network(() => world.call(init?.method ?? 'GET', new URL(String(input)).pathname, body));
      },
    });
    this.#client = client;
    this.#journal = new JourneyJournal({
      records: this.#records(),
      client: {
        createRecurringCheckout: async (request, options) => {
          const create = () => client.createRecurringCheckout(request, options);
          return await (world.plant === 'client retries' ? create().catch(create) : create());
        },
      },
    });
    this.#handler = createWebhookHandler({
      credentials,
      confirm: client,
      store: this.#store(),
      on: { payment: ({ payload }) => this.#book(payload.saleToken, payload.referenceCode ?? undefined) },
      onReport: ({ code }) => world.count(`report ${code}`),
    });
  }

  /** Something outside the process: it takes time, may fail before or after it has acted, and may outlive the process. */
  async #outside<Result>(act: () => Result | PromiseLike<Result>, failure: number): Promise<Result> {
    const world = this.#world;
    await this.#alive(world.random.between(1, 40));
    if (world.trouble(failure, 'database failures')) throw new Error('no database');
    if (world.trouble(failure / 4, 'stalled statements'))
      await this.#alive(world.random.between(1_000, 300_000));
    const result = await act();
    await this.#alive(world.random.between(1, 40));
    if (world.trouble(failure, 'answers of the database lost')) throw new Error('the answer was lost');
    return result;
  }

  async #network(act: () => Promise<Response>): Promise<Response> {
    await this.#alive(0);
    const answer = await act();
    await this.#alive(0);
    return answer;
  }

  /** A step of the process, at which it may die. Of a dead one, nothing goes on. */
  async #alive(ms: number): Promise<void> {
    await pause(ms);
    if (!this.isDead && this.#world.trouble(0.004, 'crashes at a step')) this.#world.crash();
    if (this.isDead) await new Promise(() => undefined);
  }

  #records(): JourneyRecords {
    const { records, plant, random } = this.#world;
    const database = <Result>(act: () => Promise<Result>) => this.#outside(act, 0.02);
    const overlaps: JourneyRecord[] = this.#world.plant === 'no unique index' ? overlapping(this.#world) : [];
    return {
      read: (orderKey) =>
        database(async () => {
          const { now, attempts } = await records.read(orderKey);
          const mine = this.#uncommitted.filter((each) => each.orderKey === orderKey);
          const all = [...attempts, ...overlaps.filter((each) => each.orderKey === orderKey), ...mine];
          const endless = (each: JourneyRecord) => ({
            ...each,
            leaseUntil: Number.MAX_SAFE_INTEGER,
            startedAt: 0,
          });
          return { now, attempts: plant === 'lease without end' ? all.map(endless) : all };
        }),
      insert: (record) =>
        database(async () => {
          if (plant === 'intent in a transaction') this.#uncommitted.push(record);
          else if (plant === 'no unique index') overlaps.push(record);
          else await records.insert(record);
        }),
      update: (record, token) =>
        database(async () => {
          if (plant === 'acknowledged write lost' && random.chance(0.05)) {
            const { attempts } = await records.read(record.orderKey);
            const before = attempts.find((each) => each.attempt === record.attempt);
            if (before !== undefined) after(600_000, () => void records.update(before, record.token));
          }
          for (const list of [this.#uncommitted, overlaps]) {
            const index = list.findIndex((each) => each.orderKey === record.orderKey && each.token === token);
            if (index >= 0) list[index] = record;
          }
          await records.update(record, token);
        }),
      find: (by) =>
        database(async () => {
          const matches = (each: JourneyRecord) =>
            'uuid' in by ? each.uuid === by.uuid : each.referenceCode === by.referenceCode;
          return this.#uncommitted.find(matches) ?? overlaps.find(matches) ?? (await records.find(by));
        }),
    };
  }

  #store(): IdempotencyStore {
    const { store } = this.#world;
    const step = <Result>(act: () => Promise<Result>) => this.#outside(act, 0.02);
    return {
      claim: (...given) => step(() => store.claim(...given)),
      complete: (...given) => step(() => store.complete(...given)),
      release: (...given) => step(() => store.release(...given)),
    };
  }

  /** A page view, a double click, a job that runs again. */
  async visit(order: Order): Promise<void> {
    const world = this.#world;
    if (this.isDead || order.isPaid) return;
    const { amount } = order;
    try {
      const { uuid } = await this.#journal.open(order.key, {
        currency: 'BRL',
        amount,
        shopper: { id: order.key },
        recurrence: { immediatePayment: true, amount: { recurrenceAmount: amount } },
      });
      await this.#outside(() => {
        if (order.uuid !== uuid) Object.assign(order, { uuid, shownAt: time.now });
      }, 0);
      if (amount === order.amount) world.show(order.key, uuid);
    } catch (error) {
      // The price has changed since: the journey that is in the way is closed once nobody can pay it any more.
      if (error instanceof JourneyConflictError && error.uuid !== undefined) {
        Object.assign(order, { uuid: error.uuid, shownAt: time.now });
      }
      world.count(`open: ${(error as { code?: string }).code ?? 'database'}`);
    }
  }

  /** The listener, over HTTP. */
  async receive(payload: object): Promise<number> {
    await this.#alive(0);
    const request = new Request('https://merchant.example/webhooks', {
      method: 'POST',
      headers: { authorization: basicAuthorization(credentials), 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    const { status } = await this.#handler(request);
    await this.#alive(0);
    return status;
  }

  async #book(saleToken: string, referenceCode: string | undefined): Promise<void> {
    const { plant, ledger, review, orders } = this.#world;
    const attempt =
      plant === 'order by prefix'
        ? { orderKey: (referenceCode ?? '').replace(/-\d+$/, ''), state: 'created' }
        : await this.#journal.find({ uuid: saleToken, referenceCode });
    const write = this.#outside(() => {
      if (attempt?.state !== 'created') {
        if (plant !== 'review forgotten') review.add(saleToken);
        return;
      }
      const isBooked = ledger.some((each) => each.saleToken === saleToken);
      if (!isBooked || plant === 'booked twice') ledger.push({ saleToken, orderKey: attempt.orderKey });
      const order = orders.get(attempt.orderKey);
      if (order !== undefined) order.isPaid = true;
    }, 0.02);
    if (plant === 'acknowledged early') write.catch(() => undefined);
    else await write;
  }

  /** Once a day: what the notifications did not tell, and QR codes that can no longer be paid. */
  async daily(): Promise<void> {
    const { orders, plant } = this.#world;
    const open = [...orders.values()].filter((order) => !order.isPaid && order.uuid !== undefined);
    try {
      const uuids = open.map(({ uuid }) => uuid as string);
      if (plant !== 'no reconciling') {
        for await (const result of reconcile(this.#client, uuids)) {
          if ('transaction' in result && result.transaction !== undefined) await this.#handler.settle(result);
        }
      }
      for (const order of open) {
        const ageMs = time.now - (order.shownAt ?? time.now);
        if (
          order.isPaid ||
          order.uuid === undefined ||
          ageMs < (plant === 'closed too early' ? 0.2 : 2) * DAY
        )
          continue;
        const { situation } = await this.#client.getTransaction(order.uuid);
        if (situation === 'CANCELLED' || plant === 'closed too early') {
          await this.#journal.close(order.key, { uuid: order.uuid });
        }
      }
    } catch {
      this.#world.count('daily jobs that failed');
    }
  }

  /** What `find` says, asked by this process's own journal. */
  findPlainly(referenceCode: string) {
    return this.#journal.find({ referenceCode });
  }
}

const overlaps = new WeakMap<World, JourneyRecord[]>();

/** The table without its unique index, with the plant of that name. */
function overlapping(world: World): JourneyRecord[] {
  const list = overlaps.get(world) ?? [];
  overlaps.set(world, list);
  return list;
}

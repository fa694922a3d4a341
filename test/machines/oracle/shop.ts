import { PaymentsClient } from '../../../src';
import { createOrders } from '../../../src/orders';
import type { Action, Setup } from './actions';
import type { Outcome } from './oracle';
import type { Place } from './stores';
import type { World } from './world';

// The library's own orders, as a merchant makes them.

const credentials = { apiKey: 'key-1', apiToken: 'token:1' };
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

/** What is not declared before the life of a recurrence is. */
// biome-ignore lint/suspicious/noExplicitAny: read by its documented shape
export type Anything = any;

export interface RealCase {
  readonly id: string;
  readonly reason: string;
  readonly text: string;
}

/** Faults that are planted, to see that each part finds them. */
export const FAULTS = {
  twice: 'each payment is booked twice',
  sum: 'a payment is booked at a wrong sum',
  drop: 'each second notification is answered 200, and nothing is done about it',
} as const;
export type Fault = keyof typeof FAULTS;

export class Shop {
  readonly #orders: Anything;
  readonly #lines: string[] = [];
  #seen = 0;
  #delivered = 0;
  #trouble: 'throws' | 'needsPerson' | undefined;
  readonly reports: string[] = [];
  /** Whether the lines of `returned` have the notification's key. */
  showsIds = false;

  constructor(
    readonly setup: Setup,
    readonly world: World,
    readonly place: Place,
    /** Writes an effect where no transaction is. */
    writeElsewhere: (line: string) => Promise<void> = async (line) => void this.#lines.push(line),
    readonly fault?: Fault | undefined,
  ) {
    const client = new PaymentsClient({
      baseUrl: 'https://service.example',
      ...credentials,
      fetch: world.fetch as never,
      maxRetries: 0,
    });
    const write = async (context: Anything, line: string, isMoney = false) => {
      if (isMoney && this.#trouble !== undefined) {
        const trouble = this.#trouble;
        this.#trouble = undefined;
        if (trouble === 'needsPerson') context.needsPerson('simulated: look at it');
        throw new Error('simulated: out of stock');
      }
      if (place.write !== undefined) await place.write(context.transaction as never, line);
      else await writeElsewhere(line);
    };
    this.#orders = createOrders({
      client,
      store: place.store,
      ...(!setup.confirms && { confirm: false }),
      ...(setup.listsRecurrences && { recurrences: true }),
      callbackTimeoutMs: 10_000,
      onReport: (report: Anything) =>
        void this.reports.push(
          `${report.code} ${report.key ?? ''} ${report.error ?? ''} ${report.reason ?? ''} ${JSON.stringify(report.issues ?? [])}`,
        ),
      on: {
        paid: async ({ order, sale, amount: right, isFirst }: Anything, context: Anything) => {
          const amount = fault === 'sum' ? right + 1 : right;
          const line = `paid ${order} ${sale} ${amount} ${isFirst ? 'first' : 'later'}`;
          await write(context, line, true);
          if (fault === 'twice') await write(context, line);
        },
        returned: ({ order, sale, amount, left }: Anything, context: Anything) =>
          write(
            context,
            `returned ${order} ${sale} ${amount} left ${left}${this.showsIds ? ` by ${context.key}` : ''}`,
            true,
          ),
        ...(setup.foreign !== undefined && {
          foreign:
            setup.foreign === 'ignore'
              ? 'ignore'
              : ({ kind, raw }: Anything, context: Anything) =>
                  write(context, `foreign ${kind} ${foreignId(kind, raw)}`),
        }),
        payout: ({ payload }: Anything, context: Anything) =>
          write(context, `payout ${payload.uuid} ${payload.status}`),
        ...(setup.hasUnrecognized && {
          unrecognized: (_: Anything, context: Anything) => write(context, 'unrecognized'),
        }),
        ...(setup.hasRecurrence && {
          recurrence: ({ order, event, idRec }: Anything, context: Anything) =>
            write(context, `recurrence ${order} ${event} ${idRec}`),
        }),
      },
    } as Anything);
  }

  async act(action: Action, caseId: (id: string) => Promise<string>): Promise<Outcome> {
    const answer = await this.#act(action, caseId);
    const all = (await this.place.written?.()) ?? this.#lines;
    const effects = all.slice(this.#seen);
    this.#seen = all.length;
    return { answer, effects };
  }

  async #act(action: Action, caseId: (id: string) => Promise<string>): Promise<string> {
    switch (action.do) {
      case 'advance':
        return 'done';
      case 'open':
        return this.#whileDown(action.isDown, async () => {
          const { referenceCode: _, ...request } = action.request;
          return attempt(async () => {
            const opened = await this.#orders.open(
              action.key,
              { ...request, shopper: {} },
              { replace: action.replace },
            );
            return opened.state === 'open' ? `open ${opened.uuid}` : opened.state;
          });
        });
      case 'close':
        await this.#orders.close(action.key);
        return 'done';
      case 'deliver': {
        const { note } = action;
        this.#delivered += 1;
        if (this.fault === 'drop' && this.#delivered % 2 === 0) return '200';
        this.#trouble = action.trouble;
        const pair = note.isForeignPair ? 'somebody:else' : `${credentials.apiKey}:${credentials.apiToken}`;
        const request = new Request(`https://merchant.example/webhooks${note.query}`, {
          method: 'POST',
          headers: { authorization: basic(pair), 'content-type': 'application/json' },
          body: JSON.stringify(note.body),
        });
        const response: Response = await this.#whileDown(action.isDown, () => this.#orders.webhook(request));
        this.#trouble = undefined;
        return String(response.status);
      }
      case 'decide': {
        const { id, decision, order, amount, evenIfPaid } = action;
        const given = {
          ...(order && { order }),
          ...(amount && { amount }),
          ...(evenIfPaid && { evenIfPaid }),
        };
        return attempt(async () => {
          const { status, was } = await this.#orders.decide(await caseId(id), decision, given);
          return was === undefined ? status : `${status} was ${was}`;
        });
      }
      case 'cancel':
        return attempt(async () =>
          [
            ...(await this.#orders.cancelRecurrence(action.key, { reason: 'the customer has cancelled' }))
              .cancelled,
          ]
            .sort()
            .join(' '),
        );
      case 'maintain': {
        const { errors } = await this.#orders.maintain();
        return errors?.length > 0 ? `errors ${errors.map(String).join('; ')}` : 'done';
      }
    }
  }

  async #whileDown<Result>(isDown: boolean, act: () => Promise<Result>): Promise<Result> {
    this.world.isDown = isDown;
    try {
      return await act();
    } finally {
      this.world.isDown = false;
    }
  }

  /** What `find` and `cases` show. */
  async view() {
    const orders = await Promise.all(
      this.setup.keys.map(async (key) => {
        const {
          state,
          attempts,
          payments,
          returns,
          cases,
          recurrences = [],
        } = await this.#orders.find({ key });
        return {
          key,
          state: state as string,
          attempts: attempts.map((each: Anything) => `${each.referenceCode} ${each.state}`) as string[],
          payments: payments.map(
            ({ sale, amount, currency }: Anything) => `${sale} ${amount} ${currency}`,
          ) as string[],
          returns: returns
            .map(({ id, sale, amount, status }: Anything) => `${id} ${sale} ${amount} ${status}`)
            .sort() as string[],
          review: cases.map(({ reason, sale }: Anything) => `${reason} ${sale}`).sort() as string[],
          recurrences: recurrences
            .map(
              ({ idRec, status }: Anything) =>
                `${idRec} ${/REJ|EXP|CANCELLED|CONC/i.test(status ?? '') ? 'ended' : 'lives'}`,
            )
            .sort() as string[],
        };
      }),
    );
    return { orders, cases: (await this.cases()).map(({ text }) => text).sort() };
  }

  async cases(): Promise<readonly RealCase[]> {
    return (await this.allCases()).map(({ id, reason, order, sale }) => ({
      id,
      reason,
      // Sent and shown as received.
      text: `${reason} of ${order ?? 'no order'}, sale ${sale === undefined ? '-' : lower(sale)}`,
    }));
  }

  async allCases(): Promise<Anything[]> {
    const all: Anything[] = [];
    for await (const each of await this.#orders.cases()) all.push(each);
    return all;
  }

  find(key: string): Promise<Anything> {
    return this.#orders.find({ key });
  }
}

const lower = (value: unknown) => String(value).toLowerCase();

function foreignId(kind: string, raw: Anything): string {
  if (kind === 'recurrence') return raw.idRec;
  return lower(raw.saleToken ?? raw.sale?.uuid);
}

async function attempt(act: () => Promise<string>): Promise<string> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'order_conflict') return code;
    return `failed (${code ?? error})`;
  }
}

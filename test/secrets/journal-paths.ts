import {
  type JourneyClient,
  JourneyJournal,
  MemoryJourneyRecords,
  SqlJourneyRecords,
} from 'pix-automatic-sdk/journal';
import { fixtures } from 'pix-automatic-sdk/testing';
import { hang } from '../webhooks/support';
import { marked } from './marks';
import type { Paths } from './path';
import { text } from './webhook-paths';

const { cpf, email } = marked;
const row = { now_ms: text, attempt: email, state: cpf, uuid: text, [cpf]: email };
const rowsOfMarks = new SqlJourneyRecords(async () => [row], { dialect: 'mysql' }) as never;

function journal(records = new MemoryJourneyRecords()) {
  const client = { createRecurringCheckout: hang } as JourneyClient;
  return new JourneyJournal({ client, records, waitMs: 20 });
}

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest({ shopper: { name: email } });
const other = { ...request, amount: 1, shopper: { ...request.shopper, name: cpf } };

/** Two calls for one order, of which the first gets no answer. */
function openTwice(second: typeof request): Promise<unknown> {
  const shop = journal();
  void shop.open('order-1', request);
  return shop.open('order-1', second);
}

export const journalPaths: Paths = {
  'new JourneyJournal: text for options': () => new JourneyJournal(text as never),
  'JourneyJournal: an order key that is none': () => journal().open({ [cpf]: text } as never, request),
  'JourneyJournal: nothing to find': () => journal().find({ [cpf]: text } as never),
  'JourneyJournal: another call is on its way': () => openTwice(request),
  'JourneyJournal: two requests over different money': () => openTwice(other),
  'new SqlJourneyRecords: a dialect': () => new SqlJourneyRecords(hang, { dialect: text as never }),
  'SqlJourneyRecords: a row of marks': () => journal(rowsOfMarks).open('o', request),
};

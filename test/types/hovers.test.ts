import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { Editor } from './editor';
import { type Member, publicMembers } from './public-members';

const editor = new Editor();
const given = `
import { PaymentsClient, type RecurringCheckoutRequest } from 'pix-automatic-sdk';
import * as journal from 'pix-automatic-sdk/journal';
import * as pix from 'pix-automatic-sdk/pix';
import * as sandbox from 'pix-automatic-sdk/sandbox';
import * as stores from 'pix-automatic-sdk/stores';
import * as testing from 'pix-automatic-sdk/testing';
import * as webhooks from 'pix-automatic-sdk/webhooks';
declare const client: PaymentsClient, request: RecurringCheckoutRequest;
`;

let hovers: (Omit<Member, 'declaration'> & { readonly text: string; readonly travels: boolean })[];

beforeAll(() => {
  hovers = publicMembers(editor.program(given)).map(({ declaration, ...member }) => {
    const { fileName } = declaration.getSourceFile();
    const position = (ts.getNameOfDeclaration(declaration) ?? declaration).getStart();
    const travels =
      fileName.includes('/src/service/') && member.name.includes('.') && !/Notification\./.test(member.name);
    return { ...member, text: editor.hoverAt(fileName, position), travels };
  });
}, 120_000);

/** Options that change nothing when they are left out. */
const WITHOUT_DEFAULT =
  /\.(?:signal|extraFields|kinds|deliverTo|webhookUrl|inventions|headers|referenceCode|fail|reason|log|onProgress|lookUp|complete|cancel)$/;

describe('the hover text', () => {
  it('exists for every public export and each of its members', () => {
    // One name of each form, so that an incomplete list of members fails the test.
    expect(hovers.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'parseDateTime',
        'Credentials.apiKey',
        'RecurrenceRequest.calendar.periodicity',
        'CreditTransferDetails.saleUUID',
        'WebhookHandlerOptions.callbackTimeoutMs',
        'PaymentsClient.getTransaction',
        'ApiError.serviceMessage',
        'AuthorizationCheck.reason',
        'MoveControls.pay',
      ]),
    );
    expect(namesWhere(({ text }) => text === '')).toEqual([]);
  });

  it('is not broken by a brace that an editor reads as a type', () => {
    expect(namesWhere(({ text }) => /^@link/m.test(text))).toEqual([]);
  });

  it('names the section of the document once for each interface of a request, response or notification', () => {
    const fields = namesWhere(({ travels }) => travels);
    expect(fields.length).toBeGreaterThan(100);
    const interfaces = new Set(fields.map((name) => name.split('.')[0]));
    expect(
      namesWhere(({ name, text }) => interfaces.has(name) && !/document\s+sections? \d/.test(text)),
    ).toEqual([]);
  });

  it('names the unit of every time', () => {
    const isTime = ({ name }: { name: string }) => /(?:Ms|\.ms)$/.test(name);
    expect(namesWhere(isTime).length).toBeGreaterThan(15);
    expect(namesWhere((hover) => isTime(hover) && !hover.text.includes('milliseconds'))).toEqual([]);
  });

  it('names the unit of every amount of money', () => {
    const isAmount = ({ name, type }: { name: string; type: string }) =>
      /(?:amount|amountRefunded|total|shipping|discounts)$/i.test(name.split('.').at(-1) ?? '') &&
      type.startsWith('number');
    expect(namesWhere(isAmount).length).toBeGreaterThan(15);
    expect(namesWhere((hover) => isAmount(hover) && !/currency's\s+main\s+unit/.test(hover.text))).toEqual(
      [],
    );
  });

  it('names the default of every option that has one', () => {
    const isOption = ({ name, isOptional }: { name: string; isOptional: boolean }) =>
      isOptional && /^\w+(?:Options|Limits)\.\w+$/.test(name);
    expect(namesWhere(isOption).length).toBeGreaterThan(20);
    const isSilent = (text: string) => !/@defaultValue|Default/.test(text);
    const silent = namesWhere((hover) => isOption(hover) && isSilent(hover.text));
    expect(silent.filter((name) => !WITHOUT_DEFAULT.test(name))).toEqual([]);
  });

  it('says what every function throws, unless it throws nothing', () => {
    const isFunction = ({ name, type }: { name: string; type: string }) =>
      /^(?:[a-z]\w*|PaymentsClient\.\w+)$/.test(name) && type.includes('=>');
    expect(namesWhere(isFunction)).toEqual(
      expect.arrayContaining(['parseDateTime', 'PaymentsClient.fromEnv']),
    );
    const silent = namesWhere((hover) => isFunction(hover) && !hover.text.includes('@throws'));
    expect(silent.sort()).toEqual([
      'adviseCheckout',
      'checkBrCode',
      'explainPixCode',
      'fakeClock',
      'isCallError',
      'payoutFailure',
      'sequentialIds',
    ]);
  });

  it.each([
    ["client.createRecurringCheckout({ cur|rency: 'BRL' })", 'ISO 4217'],
    [
      'client.createRecurringCheckout({ recurrence: { immed|iatePayment: true } })',
      '`amount` is then required',
    ],
    ['client.createRecurringCheckout({ am|ount: 1 })', "currency's main unit"],
    ['client.createRecurringCheckout({ amount: 1, recur|rence: {} })', 'What recurs'],
    ['request.am|ount', "currency's main unit"],
    ["client.createRecurringCheckout({ recurrence: { calendar: { period|icity: '' } } })", 'MONTHLY'],
    ["client.cancelScheduledPayment('', { rea|son: '' })", 'A brief reason'],
    ["client.getTrans|action('')", '@throws `ApiError`'],
    ['new PaymentsClient({ time|outMs: 1 })', '@defaultValue 30_000'],
    ['webhooks.createWebhookHandler({ call|backTimeoutMs: 1 })', '@defaultValue 25_000'],
    ['new stores.PostgresStore({} as never, { trans|actional: true })', 'exactly once'],
    ['testing.fixtures.re|fund()', 'section 6.4'],
    ['sandbox.startSandbox({ retry|IntervalMs: 1 })', 'milliseconds'],
    ["pix.read|BrCode('')", '@throws `BrCodeError`'],
    ["pix.explainPixCode('AM02', 'charge')?.ends|Charge", 'for good'],
  ])('is shown where a merchant writes %s', { timeout: 60_000 }, (code, text) => {
    expect(editor.hover(given + code)).toContain(text);
  });

  it.each([
    ['currency', 'ISO 4217'],
    ['amount', "currency's main unit"],
    ['recurrence', 'What recurs'],
  ])('is shown beside `%s` while a request is written', (name, text) => {
    const code = 'client.createRecurringCheckout({ | })';
    expect(editor.completionText(given + code, name)).toContain(text);
  });
});

function namesWhere(matches: (hover: (typeof hovers)[number]) => boolean): string[] {
  return hovers.filter(matches).map(({ name }) => name);
}

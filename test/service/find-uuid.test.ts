import { describe, expect, it } from 'vitest';
import { findUuids } from '../../src/service/find-uuid';
import { checkoutAnswer, transactionAnswer } from '../client/support';

/** The one uuid, or all of them. */
function findUuid(text: string, path: readonly string[]): string | readonly string[] | undefined {
  const uuids = [...findUuids(text, path)];
  return uuids.length > 1 ? uuids : uuids[0];
}

describe.each([
  ['a checkout', ['response', 'uuid'], { uuid: 'no', ...checkoutAnswer(), extra: [{ uuid: 'no' }, 'uuid'] }],
  ['a transaction', ['uuid'], { ...transactionAnswer(), response: { uuid: 'no' } }],
])('the uuid of %s', (_, path, answer) => {
  it.each([0, 2])(
    'is found in every cut text that holds all of it, and in no other (indentation %d)',
    (indentation) => {
      const text = JSON.stringify(answer, null, indentation);
      const end = text.indexOf('"uuid-1"') + '"uuid-1"'.length;
      for (let cut = 0; cut <= text.length; cut += 1) {
        expect([cut, findUuid(text.slice(0, cut), path)]).toEqual([cut, cut < end ? undefined : 'uuid-1']);
      }
    },
  );
});

describe('findUuid in a partial response', () => {
  it.each([
    ['at the top', '{"uuid":"u"', 'u'],
    ['beside another one elsewhere', '{"response":{"uuid":"v"},"uuid":"u"', 'u'],
    ['twice in one object, and equal', '{"uuid":"u","uuid":"u"', 'u'],
    ['after an empty one', '{"uuid":"","uuid":"u"', 'u'],
    ['after one with an invalid escape', String.raw`{"uuid":"\x","uuid":"u"`, 'u'],
    ['after a text in front of the object', '"x"{"uuid":"u"', 'u'],
    ['after lists and objects', '{"a":[1,[2],{"b":"c"}],"d":{"e":{}},"uuid":"u"', 'u'],
    ['after values that are not text', '{"a":true,"b":null,"c":-1.5e3,"uuid":"u"', 'u'],
    ['with a key in escapes', String.raw`{"u\u0075id":"u"`, 'u'],
    ['with a value in escapes', String.raw`{"uuid":"\"u\\"`, '"u\\'],
    ['after a text that ends with a backslash', String.raw`{"a":"\\","uuid":"u"`, 'u'],
    ['after a text with a quote', String.raw`{"a":"\"","uuid":"u"`, 'u'],
    ['after three backslashes and a quote', String.raw`{"a":"\\\"","uuid":"u"`, 'u'],
    ['before text that is not JSON', '{"uuid":"u"}]}{"', 'u'],
    ['after a response that is not an object', '{"response":["uuid","no"],"uuid":"u"', 'u'],
    ['after a value that is “uuid”', '{"a":"uuid","b":"no","uuid":"u"', 'u'],
    ['with white space', ' {\n "uuid" : "u"', 'u'],
  ])('finds the uuid %s', (_, text, uuid) => {
    expect(findUuid(text, ['uuid'])).toBe(uuid);
    expect(findUuid(`{"response":${text}`, ['response', 'uuid'])).toBe(uuid);
    expect(findUuid(text, [])).toBeUndefined();
  });

  it.each([
    ['nothing came', ''],
    ['it is not JSON', '<html>"uuid":"u"'],
    ['it is a sentence with a comma', 'Sorry, not now, "uuid":"u"'],
    ['it is in a list with keys', '["uuid":"u"'],
    ['it has no comma before it', '{"a":{}"uuid":"u"'],
    ['its key is the end of a list', '{"a":[1,"uuid"]:"u"'],
    ['it is a list', '["uuid","u"]'],
    ['it is a list of objects', '[{"uuid":"u"}'],
    ['it is a text', '"uuid":"u"'],
    ['it is the shopper’s', '{"response":{"shopper":{"uuid":"u"}'],
    ['it is the shopper’s at the top', '{"shopper":{"uuid":"u"}'],
    ['it is a refund’s', '{"refunds":{"transactions":[{"uuid":"u"}]}'],
    ['it is below a response in a list', '{"response":[{"uuid":"u"}'],
    ['it is below a response in another object', '{"a":{"response":{"uuid":"u"}'],
    ['it is below a response in a response', '{"response":{"response":{"uuid":"u"}'],
    ['it is below response', '{"response":{"uuid":"u"}'],
    ['it is cut off', '{"uuid":"u'],
    ['it is cut off in an escape', String.raw`{"uuid":"u\"`],
    ['it is cut off before its value', '{"uuid":'],
    ['it is cut off after its key', '{"uuid"'],
    ['it is empty', '{"uuid":""'],
    ['it is not text', '{"uuid":7,"a":"u"'],
    ['it is an object', '{"uuid":{"a":"u"}'],
    ['it is a list of texts', '{"uuid":["u"]'],
    ['it has an invalid escape', String.raw`{"uuid":"\x"`],
    ['it is a text in a list after the key', '{"a":["uuid","u"]'],
    ['it is quoted in a text', String.raw`{"a":"{\"uuid\":\"u\"}"`],
    ['its key is in another case', '{"UUID":"u","Uuid":"v"'],
    ['it is a key', '{"uuid":{},"u":"v"'],
  ])('finds none when %s', (_, text) => {
    expect(findUuid(text, ['uuid'])).toBeUndefined();
    expect(findUuid(`{"response":${text}`, ['response', 'uuid'])).toBeUndefined();
  });

  it.each([
    ['at the top', '{"uuid":"u"'],
    ['below another object', '{"other":{"uuid":"u"}'],
    ['below a list of that name', '{"response":["uuid",{"uuid":"u"}]'],
    ['below one in a response', '{"response":{"response":{"uuid":"u"}'],
    ['below a response in another object', '{"a":{"response":{"uuid":"u"}'],
    ['below a response in a list', '[{"response":{"uuid":"u"}'],
  ])('finds none under the path response.uuid when it is %s', (_, text) =>
    expect(findUuid(text, ['response', 'uuid'])).toBeUndefined(),
  );

  it.each([
    ['two', '{"uuid":"u","uuid":"v"'],
    ['two of three', '{"uuid":"u","uuid":"u","uuid":"v"'],
  ])('finds all different ones: %s', (_, text) => expect(findUuid(text, ['uuid'])).toEqual(['u', 'v']));

  it('takes time linear in the length of the text', () => {
    // No time is measured, because it depends on the machine: a quadratic search would not end here.
    const text = `{"a":"${String.raw`\"`.repeat(500_000)}","b":[${'{},'.repeat(500_000)}0],"uuid":"u"`;
    expect(findUuid(text, ['uuid'])).toBe('u');
  });
});

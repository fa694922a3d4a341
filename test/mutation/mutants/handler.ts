import { mutantsOf } from '../mutant';

/** In the handler, the checks of credentials and the drain: mutants that survived before, and their neighbors. */
export const handlerMutants = [
  ...mutantsOf(
    'src/webhooks/handler/flow.ts',
    ['test/webhooks/drain.test.ts'],
    [
      [
        'drain resolves at the first answer',
        'if (this.#draining && this.#running === 0)',
        'if (this.#draining)',
      ],
      ['drain resolves at once', 'if (this.#running === 0) return;', 'return;'],
      [
        'drain lets new notifications in',
        "if (this.#draining) return this.#refuse('draining', { status: 503 });",
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/webhooks/authorization.ts',
    ['test/webhooks/authorization.test.ts'],
    [
      ['a new key of the same object is not noticed', 'known.apiKey === pair.apiKey && ', ''],
      ['a new token of the same object is not noticed', ' && known.apiToken === pair.apiToken', ''],
      ['the length is not compared', 'let difference = length ^ encoded.length;', 'let difference = 0;'],
      [
        'only the first pair is tried',
        'let position = expected.length - 1; position >= 0;',
        'let position = 0; position >= 0;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/webhooks/notification/canonical-json.ts',
    ['test/webhooks/notification-key.test.ts'],
    [
      ['any number of fields is sorted', 'isSmall(value) ? write', 'true ? write'],
      ['fields are not sorted', '    .sort()\n', ''],
      ['a BigInt has the key of its digits as text', '`${value}n`', '`${value}`'],
      ['any number of levels is read', 'if (levels === 0) throw', 'if (levels === -1e9) throw'],
    ],
  ),
  ...mutantsOf(
    'src/client/reconcile.ts',
    ['test/client/reconcile.test.ts'],
    [
      [
        'there is one query more than concurrency',
        'underWay + ready.length < concurrency',
        'underWay + ready.length <= concurrency',
      ],
      [
        'results that are not yet taken do not count',
        'underWay + ready.length < concurrency',
        'underWay < concurrency',
      ],
      ['running queries do not count', 'underWay + ready.length < concurrency', 'ready.length < concurrency'],
      ['a concurrency of 1 is refused', 'concurrency < 1)', 'concurrency <= 1)'],
    ],
  ),
  ...mutantsOf(
    'src/shared/objects.ts',
    ['test/client/merge-deep.test.ts'],
    [
      ['an object is merged into a value that is no object', '!isObject(base) || ', ''],
      [
        'a list is merged like an object',
        'if (!isObject(base) || !isPlainObject(extra)) return extra;',
        "if (!isObject(base) || typeof extra !== 'object' || extra === null) return extra;",
      ],
      [
        'null is merged like an object',
        "if (typeof value !== 'object' || value === null) return false;",
        "if (typeof value !== 'object') return false;\n  if (value === null) return true;",
      ],
      ['fields of the prototype are merged', 'Object.hasOwn(base, key)', 'key in base'],
    ],
  ),
];

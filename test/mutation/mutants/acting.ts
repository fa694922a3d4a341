import { mutantsOf } from '../mutant';

const webhooks = (...names: readonly string[]) => names.map((name) => `test/webhooks/${name}.test.ts`);

/** In the code that acts, answers and claims. */
export const actingMutants = [
  ...mutantsOf('src/webhooks/handler/act.ts', webhooks('handler-store', 'handler-answers', 'duplicates'), [
    ['a late claim is kept', 'if (claiming !== undefined) void releaseWhenLate(claiming, options);', ''],
    [
      'a done state runs again',
      "if (claim.status === 'done') return DONE;",
      "if (claim.status === 'done') claim = { ...task.identity, status: 'claimed', token: '', fence: 1, handledStates: [] };",
    ],
    [
      'a done state is answered as busy',
      "if (claim.status === 'done') return DONE;",
      "if (claim.status === 'done') return BUSY;",
    ],
    [
      'busy is answered 200',
      "if (claim.status === 'busy') return BUSY;",
      "if (claim.status === 'busy') return DONE;",
    ],
    [
      'the lease is released after a timeout',
      "if (failure.code === 'callback_failed') await release(claim, options);",
      'await release(claim, options);',
    ],
    [
      'the lease is kept after a failure',
      "if (failure.code === 'callback_failed') await release(claim, options);",
      '',
    ],
    [
      'a failed callback is answered 200',
      'await release(claim, options);\n    return failure;',
      'await release(claim, options);\n    return DONE;',
    ],
    [
      'a lost lease is answered 200',
      "return recorded ? DONE : { code: 'lease_lost', status: 503 };",
      'return DONE;',
    ],
    [
      'the completion is tried only once',
      'if (performance.now() + pauseMs >= leaseEnd) return storeFailed(error);',
      'return storeFailed(error);',
    ],
    [
      'the completion is tried for ever',
      'if (performance.now() + pauseMs >= leaseEnd) return storeFailed(error);',
      '',
    ],
    [
      'a failed completion is answered 200',
      'if (performance.now() + pauseMs >= leaseEnd) return storeFailed(error);',
      'return DONE;',
    ],
    [
      'a claim has no time limit',
      'claim = await inTime(storeTimeoutMs, claiming);',
      'claim = await claiming;',
    ],
    [
      'a completion has no time limit',
      'await inTime(storeTimeoutMs, store.complete(claim, task.retentionMs));',
      'await store.complete(claim, task.retentionMs);',
    ],
    [
      'a release has no time limit',
      'await inTime(storeTimeoutMs, store.release(claim));',
      'await store.release(claim);',
    ],
    [
      'a done state is kept only for the lease',
      'store.complete(claim, task.retentionMs)',
      'store.complete(claim, leaseMs)',
    ],
    [
      'the subject contains the state',
      'store.claim(task.identity.subject,',
      'store.claim(task.identity.key,',
    ],
    [
      'a failed store is answered 500',
      "return { code: 'store_failed', status: 503, error };",
      "return { code: 'store_failed', status: 500, error };",
    ],
  ]),
  ...mutantsOf('src/webhooks/handler/act-in-transaction.ts', webhooks('handler-transaction'), [
    [
      'a callback starts after its answer',
      "if (abandoned) throw new DeadlineExceeded('the transaction began too late');",
      '',
    ],
    ['the transaction is not marked as abandoned', 'abandoned = true;', ''],
    ['the transaction does not wait for a callback that timed out', 'await running?.ended;', ''],
    ['a failed callback is committed', 'await running?.ended;\n      throw error;', 'await running?.ended;'],
    ['a timeout is not answered at once', "if (failure?.code === 'callback_timeout') return failure;", ''],
    [
      'busy is answered 200',
      "return failure ?? (status === 'busy' ? BUSY : DONE);",
      'return failure ?? DONE;',
    ],
    [
      'a failed callback that was committed is answered 200',
      "return failure ?? (status === 'busy' ? BUSY : DONE);",
      "return status === 'busy' ? BUSY : DONE;",
    ],
    ['a failure after the callback is answered 503', 'started.hasFired ? 500 : 503', '503'],
    [
      'the begin has no time limit',
      'await inTime(storeTimeoutMs, Promise.race([started.fired, transacted]));',
      'await Promise.race([started.fired, transacted]);',
    ],
    [
      'the commit has no time limit',
      'const { status } = await inTime(storeTimeoutMs, transacted);',
      'const { status } = await transacted;',
    ],
    [
      'the end of a callback is not signalled',
      'await running.inTime;\n      ended.fire();',
      'await running.inTime;',
    ],
    [
      "the store's time limit is no longer than the handler's",
      'callbackTimeoutMs + BACKSTOP_MS',
      'callbackTimeoutMs',
    ],
    ['a done state is kept only for a moment', 'retentionMs: task.retentionMs', 'retentionMs: 1'],
  ]),
  ...mutantsOf(
    'src/webhooks/handler/task.ts',
    webhooks('handler-store', 'handler-transaction', 'handler-answers'),
    [
      ['a timeout is treated as a failure', 'return error instanceof DeadlineExceeded\n', 'return false\n'],
      ['the signal does not fire', '(error) => context.expire(error)', '() => undefined'],
      [
        'the context has no fence',
        'credentialIndex, fence, transaction)',
        'credentialIndex, 0, transaction)',
      ],
      ['the context has no states', 'identity.key, handledStates, ', 'identity.key, [], '],
    ],
  ),
  ...mutantsOf(
    'src/webhooks/handler/flow.ts',
    webhooks('handler-answers', 'handler-reports', 'handler-store', 'handler-park', 'define-notification'),
    [
      [
        'any credentials are let in',
        "if (!check.ok) return this.#refuse('unauthorized', { status: 401, reason: check.reason });",
        '',
      ],
      ['any method is let in', "if (head.method !== 'POST')", 'if (false)'],
      [
        'an unhandled kind is not reported',
        "return callback === 'ignore' ? DONE : { code: 'unhandled', status: 200 };",
        'return DONE;',
      ],
      [
        'a contradictory body is ignored',
        "if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };",
        '',
      ],
      [
        'an unrecognized body is kept for a month',
        "kind === 'unrecognized' ? HOUR_MS : this.#options.retentionMs",
        'this.#options.retentionMs',
      ],
      [
        'every notification is kept for an hour',
        "kind === 'unrecognized' ? HOUR_MS : this.#options.retentionMs",
        'HOUR_MS',
      ],
      [
        'a done notification stays parked',
        "if (ending.code === 'done') await parking.forget(identity.key);",
        '',
      ],
      [
        'a timeout is not parked',
        "if (ending.code !== 'callback_failed' && ending.code !== 'callback_timeout') return undefined;",
        "if (ending.code !== 'callback_failed') return undefined;",
      ],
      [
        'busy is parked',
        "if (ending.code !== 'callback_failed' && ending.code !== 'callback_timeout') return undefined;",
        '',
      ],
      ['a replay runs while draining', "if (this.#draining) return { code: 'draining', status: 503 };", ''],
      [
        'a notification under another key stays parked',
        "if (ending.code === 'done' && entry.key !== reading.identity.key) await parking.forget(entry.key);",
        '',
      ],
    ],
  ),
  ...mutantsOf('src/webhooks/notification/choose-kind.ts', webhooks('parse-notification'), [
    ['the body decides before the query', 'if (flagged === undefined) {', 'if (fromBody.length > 0) {'],
    ['only the query decides', "return fromBody[0] ?? 'unrecognized';", "return 'unrecognized';"],
    ['the first of several flags wins', 'if (fromQuery.length > 1) {', 'if (false) {'],
    ['the first of several kinds wins', 'if (fromBody.length > 1) {', 'if (false) {'],
    ['the query wins over a contradicting body', 'if (fromBody.length > 0) {', 'if (false) {'],
    ['a body that fits its flag contradicts it', 'if (flagged?.match(body)) return flagged;', ''],
    ['any value sets a flag', "query.getAll(flag).includes('true')", 'query.has(flag)'],
    [
      'only the first value of a flag is read',
      "query.getAll(flag).includes('true')",
      "query.get(flag) === 'true'",
    ],
    ['only the first `type` is read', "query.getAll('type').includes(flag)", "query.get('type') === flag"],
    ['`type` is not read', " || query.getAll('type').includes(flag)", ''],
    ['flags are not read', "query.getAll(flag).includes('true') || ", ''],
    ['an empty query is parsed', "if (text === '') return [];", ''],
    [
      "the service's own spelling is parsed",
      'if (asSent !== undefined) return [asSent];',
      '',
      'parsed, it has the same flag; it only takes longer.',
    ],
  ]),
  ...mutantsOf(
    'src/webhooks/notification/recognize.ts',
    webhooks('parse-notification', 'define-notification', 'handler-park'),
    [
      ["the merchant's own kinds are not asked", 'if (own !== undefined) return', 'if (false) return'],
      ['the rejection of an asynchronous schema is unhandled', 'result.catch(() => undefined);', ''],
      ['an asynchronous schema is taken for a success', 'if (result instanceof Promise) {', 'if (false) {'],
      [
        "a schema's issues show values",
        'refused by the schema of your kind ${kind}`',
        'refused: ${JSON.stringify(raw)}`',
      ],
      ['an identity of any type is accepted', 'if (![id, ...states].every(isIdentifying)) {', 'if (false) {'],
      [
        'an empty identity is accepted',
        "typeof part === 'string' && part !== ''",
        "typeof part === 'string'",
      ],
      ['an identity of any length is accepted', ' && part.length <= MAX_IDENTITY_LENGTH', ''],
      ['a damaged identity is accepted', ' && isUndamaged(part);', ';'],
      ['the kind is not encoded', 'identify(encodePart(kind), String(id)', 'identify(kind, String(id)'],
      [
        'fields that were left out are not in the issues',
        'leftOut.length === 0 ? notification : { ...notification, issues: leftOut }',
        'notification',
      ],
    ],
  ),
  ...mutantsOf('src/webhooks/notification/notification-key.ts', webhooks('notification-key'), [
    ['the identity is not encoded', '${kind}:${encodePart(id)}`', '${kind}:${id}`'],
    ['the state is not in the key', "key: state === '' ? subject : `${subject}:${state}`", 'key: subject'],
    ['all halves of surrogate pairs are encoded alike', '`%u${piece.charCodeAt(0).toString(16)}`', "'%u'"],
    ['a colon is not encoded', '/[^\\w-]/', '/[^\\w:-]/'],
    ['a percent sign is not encoded', '/[^\\w-]/', '/[^\\w%-]/'],
  ]),
];

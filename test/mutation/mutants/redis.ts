import { mutantsOf } from '../mutant';

const tests = ['test/stores/redis-store.test.ts'];

/** In the Lua of `RedisStore`, and in its key names. */
export const redisMutants = [
  ...mutantsOf('src/stores/redis/scripts.ts', tests, [
    ['time: only seconds count', 'time[1] * 1000 + math.floor(time[2] / 1000)', 'time[1] * 1000'],
    [
      'leased: an expired lease counts',
      'local leased = record.token and record.expires > now',
      'local leased = record.token',
    ],
    [
      'leased: a released lease counts',
      'local leased = record.token and record.expires > now',
      'local leased = record.expires and record.expires > now',
    ],
    ['mine: any lease counts', 'local mine = leased and record.token == token', 'local mine = leased'],
    [
      'mine: an expired lease counts',
      'local mine = leased and record.token == token',
      'local mine = record.token == token',
    ],
    ['done: an expired state counts', 'if entry.expires > now then', 'if true then'],
    ['done: any state counts', 'if entry.state == state then known = entry end', 'known = entry'],
    [
      'done: the first entry of a state that was done twice counts',
      'if entry.state == state then known = entry end',
      'if entry.state == state then known = known or entry end',
      'a state that lives is never recorded a second time, so there is one entry of it.',
    ],
    [
      'expiry: the fence is left out',
      'local last = math.max(record.expires, record.fence + 1)',
      'local last = record.expires',
    ],
    [
      'expiry: the lease is left out',
      'local last = math.max(record.expires, record.fence + 1)',
      'local last = record.fence + 1',
    ],
    ['expiry: the done states are left out', 'last = math.max(last, done[index].expires)', ''],
    [
      'expiry: only the last done state counts',
      'last = math.max(last, done[index].expires)',
      'last = done[index].expires',
    ],
    ['expiry: the record never expires', "redis.call('PEXPIREAT', key, string.format('%.0f', last))", ''],
    [
      'bound: any number of states is kept',
      'for index = math.max(1, #done - ${MAX_STATES - 1}), #done do',
      'for index = 1, #done do',
    ],
    [
      'bound: one state more is kept',
      'math.max(1, #done - ${MAX_STATES - 1})',
      'math.max(1, #done - ${MAX_STATES})',
    ],
    [
      'bound: one state less is kept',
      'math.max(1, #done - ${MAX_STATES - 1})',
      'math.max(1, #done - ${MAX_STATES - 2})',
    ],
    [
      'bound: the oldest are kept',
      'math.max(1, #done - ${MAX_STATES - 1}), #done do',
      '1, math.min(#done, ${MAX_STATES}) do',
    ],
    ['claim: a done state is claimed again', "if known then return { 'done', token, '', states } end", ''],
    [
      'claim: a live lease is taken over',
      "if leased and not mine then return { 'busy', token } end\nif not mine",
      'if not mine',
    ],
    [
      'claim: busy is answered before done',
      "if known then return { 'done', token, '', states } end\nif leased and not mine then return { 'busy', token } end",
      "if leased and not mine then return { 'busy', token } end\nif known then return { 'done', token, '', states } end",
    ],
    [
      'claim: the fence is only the clock',
      'record.fence = math.max(record.fence + 1, now)',
      'record.fence = now',
    ],
    [
      'claim: the fence leaves the clock out',
      'record.fence = math.max(record.fence + 1, now)',
      'record.fence = record.fence + 1',
    ],
    [
      'claim: the fence does not grow',
      'record.fence = math.max(record.fence + 1, now)',
      'record.fence = math.max(record.fence, now)',
    ],
    [
      'claim: a claim sent twice takes another fence',
      'if not mine then\n  record.fence',
      'if true then\n  record.fence',
    ],
    [
      'claim: the lease is longer than asked',
      'record.token, record.expires = token, now + duration',
      'record.token, record.expires = token, now + duration * 2',
    ],
    [
      'claim: the record is not saved',
      'record.token, record.expires = token, now + duration\n  save()',
      'record.token, record.expires = token, now + duration',
    ],
    [
      'complete: any token is confirmed',
      "if known and known.token == token then return { 'completed', token } end",
      "if known then return { 'completed', token } end",
    ],
    [
      'complete: a repeated completion is not confirmed',
      "if known and known.token == token then return { 'completed', token } end",
      '',
    ],
    ['complete: no lease is needed', "if not mine then return { 'lost', token } end", ''],
    [
      'complete: the lease is kept',
      "record.token = nil\nsave()\nreturn { 'completed', token }",
      "save()\nreturn { 'completed', token }",
    ],
    [
      'complete: the record is not saved',
      "record.token = nil\nsave()\nreturn { 'completed', token }",
      "record.token = nil\nreturn { 'completed', token }",
    ],
    [
      'complete: the state is kept only for the lease',
      'token = token, expires = now + duration }',
      'token = token, expires = record.expires }',
    ],
    [
      'release: any token is accepted',
      'if record.token == token then\n  record.token = nil',
      'if record.token then\n  record.token = nil',
    ],
    ['release: the record is not saved', 'record.token = nil\n  save()\nend', 'record.token = nil\nend'],
    [
      'release: the done states are forgotten',
      'if record.token == token then\n  record.token = nil',
      'if record.token == token then\n  done = {}\n  record.token = nil',
    ],
  ]),
  ...mutantsOf(
    'src/stores/redis/redis-store.ts',
    ['test/stores/redis-replies.test.ts', ...tests],
    [
      ['the default prefix is another one', "prefix = 'pix-automatic:'", "prefix = 'pix:'"],
      ['the default namespace is another one', "namespace = 'webhooks'", "namespace = 'hooks'"],
      [
        'a failed claim is not released',
        'this.release({ subject, state, token, fence: 0, handledStates: [] }).catch(() => {});',
        '',
      ],
    ],
  ),
  ...mutantsOf('src/stores/redis/parked.ts', tests, [
    ['parked: an entry never expires', "redis.call('PEXPIRE', key, ARGV[3])\n", ''],
    [
      'parked: the list lasts for ever',
      "if redis.call('PTTL', index) < retention then redis.call('PEXPIRE', index, ARGV[3]) end",
      '',
    ],
    [
      'parked: the list ends with the newest entry',
      "if redis.call('PTTL', index) < retention then redis.call('PEXPIRE', index, ARGV[3]) end",
      "redis.call('PEXPIRE', index, ARGV[3])",
    ],
    [
      'parked: expired names stay when others are parked',
      "for _, each in ipairs(redis.call('ZRANGE', index, 0, 1)) do drop(each) end",
      '',
    ],
    [
      'parked: expired names stay when they are listed',
      "redis.call('ZREM', index, each)\n  elseif",
      'local _ = 0\n  elseif',
    ],
  ]),
];

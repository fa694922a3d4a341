import { MAX_STATES } from '../store-arguments';

/**
 * The record of a subject is one JSON text: `{ fence, token, expires, done: [{ state, token, expires }] }`. The outer
 * `token` and `expires` belong to the lease. One key means one cluster slot, and Redis expires it as a whole.
 *
 * Redis runs each script atomically, and each of these scripts saves the record at most once.
 */
const prelude = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local key, token, state, duration = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local saved = redis.call('GET', key)
local record = saved and cjson.decode(saved) or { fence = 0, done = {} }
local leased = record.token and record.expires > now
local mine = leased and record.token == token

local done, states, known = {}, {}, nil
for _, entry in ipairs(record.done) do
  if entry.expires > now then
    done[#done + 1] = entry
    states[#states + 1] = entry.state
    if entry.state == state then known = entry end
  end
end

local function save()
  -- Keep the key past its fence, so that the fence of a later claim is greater even if it starts a new record.
  local last = math.max(record.expires, record.fence + 1)
  record.done = {}
  for index = math.max(1, #done - ${MAX_STATES - 1}), #done do
    record.done[#record.done + 1] = done[index]
    last = math.max(last, done[index].expires)
  end
  redis.call('SET', key, cjson.encode(record))
  redis.call('PEXPIREAT', key, string.format('%.0f', last))
end
`;

export const claimScript = `${prelude}
if known then return { 'done', token, '', states } end
if leased and not mine then return { 'busy', token } end
if not mine then
  record.fence = math.max(record.fence + 1, now)
  record.token, record.expires = token, now + duration
  save()
end
return { 'claimed', token, string.format('%.0f', record.fence), states }
`;

export const completeScript = `${prelude}
if known and known.token == token then return { 'completed', token } end
if not mine then return { 'lost', token } end
done[#done + 1] = { state = state, token = token, expires = now + duration }
record.token = nil
save()
return { 'completed', token }
`;

export const releaseScript = `${prelude}
if record.token == token then
  record.token = nil
  save()
end
return { 'released', token }
`;

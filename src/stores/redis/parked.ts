/**
 * Each parked notification is a hash, `{ entry, first, last, attempts }`, which expires by itself. One sorted set holds
 * the names of all of them, ordered by the time of the last failure. `KEYS[1]` is the sorted set. Its key contains a
 * hash tag, and the keys of the hashes begin with it, so that all of them are in one slot of a cluster.
 */
const prelude = `
local index, name = KEYS[1], ARGV[1]
local function keyOf(each) return index .. ':' .. each end
local function drop(each) if redis.call('EXISTS', keyOf(each)) == 0 then redis.call('ZREM', index, each) end end
`;

/** Name, entry, retention in ms. */
export const parkScript = `${prelude}
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local key, retention = keyOf(name), tonumber(ARGV[3])
redis.call('HINCRBY', key, 'attempts', 1)
redis.call('HSETNX', key, 'first', now)
redis.call('HMSET', key, 'entry', ARGV[2], 'last', now)
redis.call('PEXPIRE', key, ARGV[3])
redis.call('ZADD', index, now, name)
if redis.call('PTTL', index) < retention then redis.call('PEXPIRE', index, ARGV[3]) end
-- Remove expired names from the sorted set little by little: each park checks the two oldest.
for _, each in ipairs(redis.call('ZRANGE', index, 0, 1)) do drop(each) end
return { 'parked' }
`;

/** Name (`''` for any), since, limit. Returns the four fields of each parked notification. */
export const parkedScript = `${prelude}
local names = name ~= '' and { name } or redis.call('ZRANGEBYSCORE', index, ARGV[2], '+inf')
local found = {}
for _, each in ipairs(names) do
  if #found == tonumber(ARGV[3]) then break end
  local fields = redis.call('HMGET', keyOf(each), 'entry', 'first', 'last', 'attempts')
  if not fields[1] then
    redis.call('ZREM', index, each)
  elseif tonumber(fields[3]) >= tonumber(ARGV[2]) then
    found[#found + 1] = fields
  end
end
return { 'parked', found }
`;

export const unparkScript = `${prelude}
redis.call('DEL', keyOf(name))
redis.call('ZREM', index, name)
return { 'unparked' }
`;

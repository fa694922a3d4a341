// Redis and PostgreSQL as idempotency stores, over the real servers: round trips and throughput.
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { postgres } from './stores/postgres';
import { redis } from './stores/redis';

const { seed, rounds } = programInput<{ seed: number; rounds: number }>();
const options = { rounds, random: randomFrom(seed) };
const measured = { redis: await redis(options), postgres: await postgres(options) };
console.log(JSON.stringify(measured));

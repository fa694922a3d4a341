// A listener as in production, with a store that several processes share. It has its own keys or its own table.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresStore, RedisStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { postgresConfig } from '../../test/helpers/postgres';
import { redisUrl } from '../../test/helpers/redis';
import { programInput } from '../lib/program-input';
import type { FleetListener } from '../parts/fleet/servers';

const { store: kind, namespace, credentials } = programInput<FleetListener>();

const options = { credentials, on: { payment: async () => undefined } };
const handler =
  kind === 'postgres-transactional'
    ? createWebhookHandler({
        ...options,
        store: new PostgresStore(pool(), { schema: namespace, transactional: true }),
      })
    : createWebhookHandler({
        ...options,
        store:
          kind === 'redis'
            ? new RedisStore(new Redis(redisUrl), { prefix: `${namespace}:` })
            : new PostgresStore(pool(), { schema: namespace }),
      });

const server = createServer(toNodeListener(handler));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.(process.cpuUsage()));

function pool(): pg.Pool {
  const made = new pg.Pool({ ...postgresConfig, application_name: namespace, max: 10 });
  made.on('error', () => undefined);
  return made;
}

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

testFramework(
  'Hono 4, on Node',
  async (handler) => {
    const app = new Hono();
    app.post('/webhooks', (c) => handler(c.req.raw));

    return `${await listen(createServer(getRequestListener(app.fetch)))}/webhooks`;
  },
  404,
);

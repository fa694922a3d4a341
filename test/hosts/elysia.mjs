import { Elysia } from 'elysia';
import { handler } from 'host-shop';

const app = new Elysia();
// #region
app.all('/webhooks', ({ request }) => handler(request), { parse: 'none' });
// #endregion
app.listen({ hostname: '127.0.0.1', port: Number(process.env['PORT']) });

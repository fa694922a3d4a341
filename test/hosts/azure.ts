import { app } from '@azure/functions';
import { handler } from './shop/index.mjs';

// The handler checks the service's credentials, so Azure needs no key of its own.
// #region
app.http('webhooks', { methods: ['POST'], authLevel: 'anonymous', handler: (r) => handler.handle(r) });
// #endregion

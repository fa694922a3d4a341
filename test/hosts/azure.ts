import { app } from '@azure/functions';
import { handler } from './shop/index.mjs';

// #region
app.http('webhooks', {
  methods: ['POST'],
  authLevel: 'anonymous', // the handler checks the service's credentials
  handler: (request) => handler.handle(request),
});
// #endregion

import express from 'express';
import serverless from 'serverless-http';
import { toNodeListener } from '../../src/webhooks';
import { handler as webhooks } from './shop/index.mjs';

const app = express();
app.all('/webhooks', toNodeListener(webhooks));
// #region
export const handler = serverless(app);
// #endregion

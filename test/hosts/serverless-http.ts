import express from 'express';
import serverless from 'serverless-http';
import { handler as webhooks } from './shop/index.mjs';

const app = express();
app.all('/webhooks', webhooks);
// #region
export const handler = serverless(app);
// #endregion

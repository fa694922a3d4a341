import { createApp, createRouter, fromNodeMiddleware, toNodeListener as listenerOf } from 'h3-v1';
import { handler } from './shop/index.mjs';

const router = createRouter();
// #region
router.use('/webhooks', fromNodeMiddleware(handler));
// #endregion
export const listener = listenerOf(createApp().use(router));

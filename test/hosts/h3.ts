import { fromNodeHandler, H3, toNodeHandler } from 'h3';
import { handler } from './shop/index.mjs';

const app = new H3();
// #region
app.all('/webhooks', fromNodeHandler(handler));
// #endregion
export const listener = toNodeHandler(app);

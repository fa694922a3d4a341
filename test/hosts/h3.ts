import { fromNodeHandler, H3, toNodeHandler } from 'h3';
import { toNodeListener } from '../../src/webhooks';
import { handler } from './shop/index.mjs';

const app = new H3();
// #region
app.all('/webhooks', fromNodeHandler(toNodeListener(handler)));
// #endregion
export const listener = toNodeHandler(app);

import { handler } from 'host-shop';

// #region
export default fromNodeMiddleware(handler);
// #endregion

import { handler } from 'host-shop';

// #region
export default handler;
// #endregion

import { handler } from 'host-shop';

// #region
export const POST = handler;
// #endregion

import { handler } from 'host-shop';

// #region
export const prerender = false;
export const POST = ({ request }) => handler(request);
// #endregion

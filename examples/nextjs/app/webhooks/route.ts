import { orders } from '../../lib/orders';

// On SIGTERM Next.js itself accepts no more requests and finishes the running ones, so there is nothing to drain.
export const POST = (request: Request): Promise<Response> => orders().webhook(request);

import { orders } from '../../lib/orders';

export const POST = (request: Request): Promise<Response> => orders().webhook(request);

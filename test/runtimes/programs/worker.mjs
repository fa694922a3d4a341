import { handler, inspectProgram } from './app.mjs';

export default {
  async fetch(request) {
    if (new URL(request.url).pathname === '/hook') return handler(request);
    return Response.json(await inspectProgram(request.url));
  },
};

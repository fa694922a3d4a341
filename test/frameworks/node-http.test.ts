import { createServer } from 'node:http';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

testFramework('node:http', async (handler) => {
  const server = createServer(handler);

  return `${await listen(server)}/webhooks`;
});

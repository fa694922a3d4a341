import { createServer } from 'node:http';
import { toNodeListener } from '../../src/webhooks';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

testFramework('node:http', async (handler) => {
  const server = createServer(toNodeListener(handler));

  return `${await listen(server)}/webhooks`;
});

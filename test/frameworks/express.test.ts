import { createServer } from 'node:http';
import express5 from 'express';
import express4 from 'express4';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

for (const [name, express] of Object.entries({ 'Express 5': express5, 'Express 4': express4 })) {
  testFramework(
    name,
    async (handler) => {
      const app = express();
      app.post('/webhooks', handler);

      return `${await listen(createServer(app))}/webhooks`;
    },
    404,
  );

  testFramework(`${name}, under a path of a router`, async (handler) => {
    const app = express();
    app.use('/webhooks', handler);

    return `${await listen(createServer(app))}/webhooks`;
  });

  const parsers = {
    'express.json()': express.json(),
    'express.text()': express.text({ type: '*/*' }),
    'express.raw()': express.raw({ type: '*/*' }),
    'express.urlencoded(), which leaves JSON alone': express.urlencoded({ extended: true }),
  };
  for (const [parserName, parser] of Object.entries(parsers)) {
    testFramework(
      `${name}, after ${parserName}`,
      async (handler) => {
        const app = express();
        app.use(parser);
        app.post('/webhooks', handler);
        // Outside `test`, Express prints the errors of its parsers.
        app.set('env', 'test');

        return `${await listen(createServer(app))}/webhooks`;
      },
      404,
    );
  }
}

import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { All, Controller, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request, Response } from 'express';
import { onTestFinished } from 'vitest';
import type { WebhookHandler } from '../../src/webhooks';
import { testFramework } from './checks';

testFramework('NestJS 11, in a controller, after its body parser', async (handler) =>
  start(await NestFactory.create(moduleWith(handler), { logger: false })),
);

testFramework('NestJS 11, in a controller, with bodyParser: false', async (handler) =>
  start(await NestFactory.create(moduleWith(handler), { logger: false, bodyParser: false })),
);

testFramework('NestJS 11, as middleware before its body parser', async (handler) => {
  const app = await NestFactory.create(class AppModule {}, { logger: false });
  app.use('/webhooks', handler);

  return start(app);
});

/**
 * A module with the controller. Decorators are applied as functions, because the tests’ compiler has decorators
 * turned off.
 */
function moduleWith(handler: WebhookHandler) {
  class WebhooksController {
    // @All() receive(@Req() req: Request, @Res() res: Response)
    receive(req: Request, res: Response) {
      return handler(req, res);
    }
  }
  const { prototype } = WebhooksController;
  All()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {});
  Req()(prototype, 'receive', 0);
  Res()(prototype, 'receive', 1);
  Controller('webhooks')(WebhooksController);

  class AppModule {}
  Module({ controllers: [WebhooksController] })(AppModule);
  return AppModule;
}

async function start(app: INestApplication): Promise<string> {
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  return `${await app.getUrl()}/webhooks`;
}

// A whole merchant: subscriptions, the listener, and what the support staff see.
import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { logger } from './observability.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: new ConsoleLogger({ json: true, logLevels: ['fatal', 'error', 'warn'] }), // Nest's own lines
});
app.useBodyParser('json', { limit: '1mb' }); // by default, Nest refuses bodies of more than 100 KiB
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true }); // without this, nothing is drained
await app.listen(process.env['PORT'] ?? 3000);
logger.info(`Listening on ${(await app.getUrl()).replace('[::1]', 'localhost')}`);

// A whole merchant: subscriptions, the listener, and what the support staff see.
import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { logger } from './observability.js';

const app = await NestFactory.create(AppModule, {
  logger: new ConsoleLogger({ json: true, logLevels: ['fatal', 'error', 'warn'] }), // Nest's own lines
});
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true }); // without this, nothing is drained
await app.listen(process.env['PORT'] ?? 3000);
logger.info(`Listening on ${(await app.getUrl()).replace('[::1]', 'localhost')}`);

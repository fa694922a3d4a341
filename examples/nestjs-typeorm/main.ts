// A whole merchant: subscriptions, the listener, and what the support staff see.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['fatal', 'error', 'warn'] });
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true }); // without this, nothing is drained
await app.listen(process.env['PORT'] ?? 3000);
console.log(`Listening on ${(await app.getUrl()).replace('[::1]', 'localhost')}`);

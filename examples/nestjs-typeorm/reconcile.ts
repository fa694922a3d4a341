// A job for once a day: finds the payments whose notification never came, and deletes what has expired.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { Payments } from './payments.js';

const app = await NestFactory.createApplicationContext(AppModule, {
  logger: ['fatal', 'error', 'warn', 'log'],
});
await app.get(Payments).reconcile();
await app.close();

// A job for once a day. If it could not settle an order, its exit code is 1, after it has tried all of them.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule } from './app.module.js';
import { flush, reportError } from './observability.js';
import { Payments } from './payments.js';

const app = await NestFactory.createApplicationContext(PaymentsModule, {
  logger: ['fatal', 'error', 'warn'],
});
const payments = app.get(Payments);
try {
  await payments.deleteExpired();
  if ((await payments.reconcile()) > 0) process.exitCode = 1;
} catch (error) {
  reportError(error, 'The daily job failed');
  process.exitCode = 1;
}
await flush();
await app.close();

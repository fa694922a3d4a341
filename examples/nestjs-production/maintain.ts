// A job for every hour or day: finds the payments whose notification never came, frees the orders whose journey was
// cancelled, tries failed notifications again, and deletes what has expired. If something failed, its exit code is 1.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule } from './app.module.js';
import { flush, logger, reportError } from './observability.js';
import { Payments } from './payments.js';

const app = await NestFactory.createApplicationContext(PaymentsModule, {
  logger: ['fatal', 'error', 'warn'],
});
try {
  const result = await app.get(Payments).orders.maintain();
  logger.info(result, 'maintained');
  if (!result.skipped) {
    const { errors, reconciled } = result;
    if (errors.length > 0 || reconciled?.failed !== 0 || !reconciled.isComplete) process.exitCode = 1;
  }
} catch (error) {
  reportError(error, 'The job failed');
  process.exitCode = 1;
}
await flush();
await app.close();

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MetricsController, SubscriptionsController, WebhooksController } from './controllers.js';
import { options } from './database.js';
import { HealthController, Lifecycle } from './health.js';
import { Payments } from './payments.js';
import { SupportController } from './support.js';

@Module({ imports: [TypeOrmModule.forRoot(options)], providers: [Payments], exports: [Payments] })
export class PaymentsModule {}

@Module({
  imports: [PaymentsModule],
  controllers: [
    SubscriptionsController,
    WebhooksController,
    SupportController,
    HealthController,
    MetricsController,
  ],
  providers: [Lifecycle],
})
export class AppModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SubscriptionsController, SupportController, WebhooksController } from './controllers.js';
import { options } from './database.js';
import { Payments } from './payments.js';

@Module({
  imports: [TypeOrmModule.forRoot(options)],
  controllers: [SubscriptionsController, WebhooksController, SupportController],
  providers: [Payments],
})
export class AppModule {}

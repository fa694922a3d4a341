// Subscriptions whose scheduled payments can be cancelled, and a listener for their payments, in NestJS.
import 'reflect-metadata';
import {
  All,
  BadGatewayException,
  type BeforeApplicationShutdown,
  Body,
  ConflictException,
  Controller,
  Delete,
  Injectable,
  Module,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request, Response } from 'express';
import { PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

@Injectable()
class Subscriptions {
  readonly client = PaymentsClient.fromEnv();
  readonly references = new Map<string, string>(); // stands for your database: the order of each transaction
}

@Controller('subscriptions')
class SubscriptionsController {
  constructor(private readonly subscriptions: Subscriptions) {}

  @Post()
  async create(@Body() { referenceCode }: { referenceCode: string }) {
    const { response } = await this.subscriptions.client.createRecurringCheckout({
      currency: 'BRL',
      referenceCode,
      amount: 59.7,
      shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 29.9 },
        calendar: { initialDate: '2026-12-21', periodicity: 'MONTHLY' },
      },
    });
    this.subscriptions.references.set(response.uuid, referenceCode);
    return { uuid: response.uuid, qrCode: response.instructions.qrCode.plain };
  }

  @Delete('payments/:instructionId')
  async cancel(@Param('instructionId') instructionId: string) {
    try {
      await this.subscriptions.client.cancelScheduledPayment(instructionId, { reason: 'Customer left' });
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      if (error.outcome === 'refused') throw new ConflictException('It cannot be cancelled');
      throw new BadGatewayException(`Outcome: ${error.outcome}`);
    }
  }
}

@Controller('webhooks')
class WebhooksController implements BeforeApplicationShutdown {
  readonly #handler;
  readonly #listener;

  constructor({ client, references }: Subscriptions) {
    const { PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '' } = process.env;
    this.#handler = createWebhookHandler({
      credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
      confirm: client, // the service confirms each payment before its callback runs
      on: {
        async payment(notification) {
          const reference = references.get(notification.payload.saleToken);
          console.log(`${reference}: notified of its payment`);
          console.log(`${reference}: paid`);
        },
      },
      onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
    });
    this.#listener = toNodeListener(this.#handler);
  }

  // No signature covers the body, so `rawBody: true` is not needed: the listener takes the body that Nest parsed.
  @All()
  receive(@Req() request: Request, @Res() response: Response) {
    this.#listener(request, response);
  }

  async beforeApplicationShutdown() {
    await this.#handler.drain();
    console.log('Drained');
  }
}

@Module({ controllers: [SubscriptionsController, WebhooksController], providers: [Subscriptions] })
class AppModule {}

async function main() {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true }); // without this, nothing is drained
  await app.listen(process.env['PORT'] ?? 3000);
  console.log(`Listening on ${(await app.getUrl()).replace('[::1]', 'localhost')}`);
}

void main();

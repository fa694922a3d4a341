import {
  All,
  Body,
  ConflictException,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { PaymentsError } from 'pix-automatic-sdk';
import { OrderConflictError } from 'pix-automatic-sdk/orders';
import { Gauge, register } from 'prom-client';
import { observeDelivery, reportError } from './observability.js';
import { Payments } from './payments.js';

@Controller('subscriptions')
export class SubscriptionsController {
  constructor(private readonly payments: Payments) {}

  @Post()
  async subscribe(@Body() { referenceCode }: { referenceCode: string }) {
    try {
      return await this.payments.subscribe(referenceCode);
    } catch (error) {
      reportError(error, 'not subscribed');
      if (error instanceof OrderConflictError) throw new ConflictException();
      // Nobody has seen a second QR code: the payer may try again.
      throw new ServiceUnavailableException('Please try again.');
    }
  }

  @Delete('payments/:instructionId')
  @HttpCode(204)
  async cancel(@Param('instructionId') instructionId: string) {
    try {
      await this.payments.cancel(instructionId);
    } catch (error) {
      reportError(error, 'scheduled payment not cancelled');
      const isRefused = error instanceof PaymentsError && error.outcome === 'refused';
      if (isRefused) throw new ConflictException('It cannot be cancelled.');
      // It may be cancelled: `error.outcome` is 'unknown', unless nothing was sent.
      throw new ServiceUnavailableException('Please look again later.');
    }
  }
}

@Controller('webhooks')
export class WebhooksController {
  readonly #listener;

  constructor({ orders }: Payments) {
    this.#listener = orders.webhook;
  }

  // No signature covers the body, so `rawBody: true` is not needed: the listener takes the body that Nest parsed.
  @All()
  receive(@Req() request: Request, @Res() response: Response) {
    observeDelivery(response, () => this.#listener(request, response));
  }
}

/** For Prometheus, from inside: your ingress must not route to it. */
@Controller('metrics')
export class MetricsController {
  constructor(payments: Payments) {
    new Gauge({
      name: 'payments_cases',
      help: 'Notifications that wait for a person. Every process reports the same number: use max().',
      async collect() {
        const count = payments.cases().then(({ length }) => length);
        this.set(await count.catch(() => Number.NaN)); // the other metrics stay readable
      },
    });
  }

  @Get()
  @Header('content-type', register.contentType)
  metrics() {
    return register.metrics();
  }
}

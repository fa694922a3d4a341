import {
  All,
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  Logger,
  Post,
  Req,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { JourneyConflictError } from 'pix-automatic-sdk/journal';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';
import { Payments } from './payments.js';

@Controller('subscriptions')
export class SubscriptionsController {
  readonly #logger = new Logger('Subscriptions');

  constructor(private readonly payments: Payments) {}

  @Post()
  async subscribe(@Body() { referenceCode }: { referenceCode: string }) {
    try {
      return await this.payments.subscribe(referenceCode);
    } catch (error) {
      this.#logger.error(error);
      if (error instanceof JourneyConflictError) throw new ConflictException();
      // Nobody has seen a second QR code: the payer may try again.
      throw new ServiceUnavailableException('Please try again.');
    }
  }
}

@Controller('webhooks')
export class WebhooksController {
  readonly #listener;

  constructor({ handler }: Payments) {
    this.#listener = toNodeListener(handler);
  }

  // No signature covers the body, so `rawBody: true` is not needed: the listener takes the body that Nest parsed.
  @All()
  receive(@Req() request: Request, @Res() response: Response) {
    this.#listener(request, response);
  }
}

/** For your staff only: put a guard with your own login before it. */
@Controller('support')
export class SupportController {
  constructor(private readonly payments: Payments) {}

  @Get()
  openCases() {
    return this.payments.openCases();
  }

  @Post('replay')
  @HttpCode(200)
  replay() {
    return this.payments.replayDeadLetters();
  }
}

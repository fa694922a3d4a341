// What your support staff see and do. Put your own login in place of the token.
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  Body,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Param,
  Post,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { Payments } from './payments.js';

@Injectable()
class SupportGuard implements CanActivate {
  readonly #expected: Buffer;

  constructor() {
    const token = process.env['SUPPORT_TOKEN'];
    if (!token) throw new Error('Set SUPPORT_TOKEN: /support shows payments, and runs notifications again.');
    this.#expected = digest(`Bearer ${token}`);
  }

  canActivate(context: ExecutionContext) {
    const { authorization = '' } = context.switchToHttp().getRequest().headers;
    if (!timingSafeEqual(digest(authorization), this.#expected)) throw new UnauthorizedException();
    return true;
  }
}

/** Of equal length for every text, so that they can be compared in constant time. */
function digest(text: string) {
  return createHash('sha256').update(text).digest();
}

@Controller('support')
@UseGuards(SupportGuard)
export class SupportController {
  constructor(private readonly payments: Payments) {}

  /**
   * Payments that need a person, orders that the service calls paid and does not confirm, and dead letters, without their
   * bodies, which hold personal data.
   */
  @Get()
  openCases() {
    return this.payments.openCases();
  }

  /** Runs all dead letters again, or one of them, once their cause is fixed. What succeeds is forgotten. */
  @Post('replay')
  @HttpCode(200)
  replay(@Body() body?: { key?: string }) {
    return this.payments.replayDeadLetters(body?.key);
  }

  /** For a dead letter that somebody has dealt with in another way. */
  @Delete('dead-letters/:key')
  @HttpCode(204)
  forget(@Param('key') key: string) {
    return this.payments.forgetDeadLetter(key);
  }
}

// What your support staff see and do. Put your own login in place of the token.
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Post,
  ServiceUnavailableException,
  UnauthorizedException,
  UnprocessableEntityException,
  UseGuards,
} from '@nestjs/common';
import { InvalidRequestError } from 'pix-automatic-sdk';
import { reportError } from './observability.js';
import { type Decision, Payments } from './payments.js';

@Injectable()
class SupportGuard implements CanActivate {
  readonly #expected: Buffer;

  constructor() {
    const token = process.env['SUPPORT_TOKEN'];
    if (!token) throw new Error('Set SUPPORT_TOKEN: /support shows payments, and books them.');
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

  /** Each with its reason, its order, its sale and its amount, if they are known. */
  @Get()
  cases() {
    return this.payments.cases();
  }

  @Post('decide')
  @HttpCode(200)
  async decide(@Body() decision: Decision) {
    try {
      return await this.payments.decide(decision);
    } catch (error) {
      reportError(error, 'not decided');
      if (error instanceof InvalidRequestError) throw new UnprocessableEntityException(error.issues);
      // The case stays, whatever it was.
      throw new ServiceUnavailableException('Please try again.');
    }
  }
}

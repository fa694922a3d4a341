// Whether this process may get requests, and how it ends.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Controller,
  Get,
  Injectable,
  ServiceUnavailableException,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { flush, logger } from './observability.js';
import { Payments } from './payments.js';

/** How long the load balancer still sends requests after readiness has turned red: at least two of its probes. */
const DRAIN_DELAY_MS = Number(process.env['DRAIN_DELAY_MS'] ?? 10_000);

@Injectable()
export class Lifecycle implements BeforeApplicationShutdown {
  isEnding = false;

  constructor(private readonly payments: Payments) {}

  /** Nest calls this at SIGTERM. Afterwards it closes the server, and TypeORM its connections. */
  async beforeApplicationShutdown() {
    this.isEnding = true;
    logger.info('SIGTERM: not ready any more');
    // Notifications that still come are processed. One that is refused comes again only a minute later.
    await sleep(DRAIN_DELAY_MS);
    await this.payments.orders.stop();
    logger.info('Drained');
    await flush();
  }
}

@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly dataSource: DataSource,
  ) {}

  /** Red: restart this process. It asks nothing, because a restart does not repair a database. */
  @Get('live')
  live() {
    return 'live';
  }

  /** Red: send this process no requests. It never asks the service: without it, notifications are still kept. */
  @Get('ready')
  async ready() {
    if (this.lifecycle.isEnding) throw new ServiceUnavailableException('ending');
    await this.dataSource.query('SELECT 1').catch(() => {
      throw new ServiceUnavailableException('no database');
    });
    return 'ready';
  }
}

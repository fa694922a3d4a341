import { Column, CreateDateColumn, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('orders')
export class Order {
  @PrimaryColumn('text')
  key!: string;

  @Column('numeric', { default: 59.7 })
  price!: string;

  @Column('boolean', { default: false })
  cancelled!: boolean;

  @Column('boolean', { default: false })
  paid!: boolean;

  /** The last charge has failed, and is not tried again: ask the customer. The next one that is paid ends it. */
  @Column('boolean', { default: false })
  overdue!: boolean;

  /** Nothing more is charged. */
  @Column('boolean', { default: false })
  ended!: boolean;
}

abstract class Booking {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text')
  sale!: string;

  @Column('text', { name: 'order_key' })
  orderKey!: string;

  @Column('numeric')
  amount!: number;

  @CreateDateColumn({ name: 'booked_at', type: 'timestamptz' })
  bookedAt!: Date;
}

@Entity('payments')
export class Payment extends Booking {
  @Column('boolean', { name: 'is_first' })
  isFirst!: boolean;
}

/** What went back to the payer. */
@Entity('returns')
export class Return extends Booking {
  @Column('numeric', { name: 'left_of_sale' })
  left!: number;
}

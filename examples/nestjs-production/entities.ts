import { Column, CreateDateColumn, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('orders')
export class Order {
  @PrimaryColumn('text')
  key!: string;

  @Column('boolean', { default: false })
  paid!: boolean;
}

@Entity('payments')
export class Payment {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text', { name: 'sale_token' })
  saleToken!: string;

  /** `null`: of no order that we know. */
  @Column('text', { name: 'order_key', nullable: true })
  orderKey!: string | null;

  @Column('numeric', { nullable: true })
  amount!: number | null;

  @Column('boolean', { name: 'needs_person' })
  needsPerson!: boolean;

  @CreateDateColumn({ name: 'booked_at', type: 'timestamptz' })
  bookedAt!: Date;
}

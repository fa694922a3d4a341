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

  @Column('text')
  sale!: string;

  @Column('text', { name: 'order_key' })
  orderKey!: string;

  @Column('numeric')
  amount!: number;

  @Column('boolean', { name: 'is_first' })
  isFirst!: boolean;

  @CreateDateColumn({ name: 'booked_at', type: 'timestamptz' })
  bookedAt!: Date;
}

/** What went back to the payer. */
@Entity('returns')
export class Return {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text')
  sale!: string;

  @Column('text', { name: 'order_key' })
  orderKey!: string;

  @Column('numeric')
  amount!: number;

  @Column('numeric', { name: 'left_of_sale' })
  left!: number;

  @CreateDateColumn({ name: 'booked_at', type: 'timestamptz' })
  bookedAt!: Date;
}

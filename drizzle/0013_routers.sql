CREATE TABLE "floatingips" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"floating_ip_address" "inet" NOT NULL,
	"floating_network_id" uuid NOT NULL,
	"floating_port_id" uuid NOT NULL,
	"fixed_port_id" uuid,
	"fixed_ip_address" "inet",
	"router_id" uuid,
	"last_known_router_id" uuid,
	"status" varchar(16) NOT NULL,
	"dns_name" varchar(255) DEFAULT '' NOT NULL,
	"dns_domain" varchar(255) DEFAULT '' NOT NULL,
	CONSTRAINT "floatingips_port_once" UNIQUE("floating_port_id"),
	CONSTRAINT "floatingips_fixed_ip_once" UNIQUE("floating_network_id","fixed_port_id","fixed_ip_address")
);
--> statement-breakpoint
CREATE TABLE "router_ports" (
	"port_id" uuid PRIMARY KEY NOT NULL,
	"router_id" uuid NOT NULL,
	"port_type" varchar(255) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "routers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"status" varchar(16) NOT NULL,
	"admin_state_up" boolean DEFAULT true NOT NULL,
	"gw_port_id" uuid,
	"enable_snat" boolean DEFAULT true NOT NULL,
	"routes" json DEFAULT '[]' NOT NULL,
	CONSTRAINT "routers_gateway_once" UNIQUE("gw_port_id")
);
--> statement-breakpoint
ALTER TABLE "floatingips" ADD CONSTRAINT "floatingips_floating_network_id_networks_id_fk" FOREIGN KEY ("floating_network_id") REFERENCES "public"."networks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "floatingips" ADD CONSTRAINT "floatingips_floating_port_id_ports_id_fk" FOREIGN KEY ("floating_port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "floatingips" ADD CONSTRAINT "floatingips_fixed_port_id_ports_id_fk" FOREIGN KEY ("fixed_port_id") REFERENCES "public"."ports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "floatingips" ADD CONSTRAINT "floatingips_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_ports" ADD CONSTRAINT "router_ports_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_ports" ADD CONSTRAINT "router_ports_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routers" ADD CONSTRAINT "routers_gw_port_id_ports_id_fk" FOREIGN KEY ("gw_port_id") REFERENCES "public"."ports"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "floatingips_project_id_id_index" ON "floatingips" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "floatingips_fixed_port_id_index" ON "floatingips" USING btree ("fixed_port_id");--> statement-breakpoint
CREATE INDEX "floatingips_router_id_index" ON "floatingips" USING btree ("router_id");--> statement-breakpoint
CREATE INDEX "floatingips_floating_ip_address_index" ON "floatingips" USING btree ("floating_ip_address");--> statement-breakpoint
CREATE INDEX "floatingips_tags" ON "floatingips" USING gin ("tags") WHERE "floatingips"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "router_ports_router_id_index" ON "router_ports" USING btree ("router_id");--> statement-breakpoint
CREATE INDEX "routers_project_id_id_index" ON "routers" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "routers_name_id_index" ON "routers" USING btree ("name","id");--> statement-breakpoint
CREATE INDEX "routers_tags" ON "routers" USING gin ("tags") WHERE "routers"."tags" <> '{}';
CREATE TABLE "agent_gateway_ports" (
	"network_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"port_id" uuid,
	CONSTRAINT "agent_gateway_ports_network_id_agent_id_pk" PRIMARY KEY("network_id","agent_id"),
	CONSTRAINT "agent_gateway_ports_port" UNIQUE("port_id")
);
--> statement-breakpoint
CREATE TABLE "ha_networks" (
	"project_id" varchar(255) PRIMARY KEY NOT NULL,
	"network_id" uuid NOT NULL,
	CONSTRAINT "ha_networks_network" UNIQUE("network_id")
);
--> statement-breakpoint
CREATE TABLE "router_ha_ports" (
	"port_id" uuid PRIMARY KEY NOT NULL,
	"router_id" uuid NOT NULL,
	"agent_id" uuid,
	"state" varchar(16) DEFAULT 'standby' NOT NULL,
	CONSTRAINT "router_ha_ports_once" UNIQUE("router_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "router_l3_agents" (
	"router_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"place" smallint NOT NULL,
	CONSTRAINT "router_l3_agents_router_id_agent_id_pk" PRIMARY KEY("router_id","agent_id"),
	CONSTRAINT "router_l3_agents_place" UNIQUE("router_id","place")
);
--> statement-breakpoint
CREATE TABLE "router_vr_ids" (
	"network_id" uuid NOT NULL,
	"vr_id" smallint NOT NULL,
	"router_id" uuid NOT NULL,
	CONSTRAINT "router_vr_ids_network_id_vr_id_pk" PRIMARY KEY("network_id","vr_id"),
	CONSTRAINT "router_vr_ids_router" UNIQUE("router_id")
);
--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "availability_zone_hints" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "distributed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "ha" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "ha_epoch" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "enable_default_route_ecmp" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "enable_default_route_bfd" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_gateway_ports" ADD CONSTRAINT "agent_gateway_ports_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_gateway_ports" ADD CONSTRAINT "agent_gateway_ports_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_gateway_ports" ADD CONSTRAINT "agent_gateway_ports_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ha_networks" ADD CONSTRAINT "ha_networks_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_ha_ports" ADD CONSTRAINT "router_ha_ports_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_ha_ports" ADD CONSTRAINT "router_ha_ports_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_ha_ports" ADD CONSTRAINT "router_ha_ports_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_l3_agents" ADD CONSTRAINT "router_l3_agents_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_l3_agents" ADD CONSTRAINT "router_l3_agents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_vr_ids" ADD CONSTRAINT "router_vr_ids_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "router_vr_ids" ADD CONSTRAINT "router_vr_ids_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "router_ha_ports_one_active" ON "router_ha_ports" USING btree ("router_id") WHERE "router_ha_ports"."state" = 'active';--> statement-breakpoint
CREATE INDEX "router_ha_ports_agent_id_index" ON "router_ha_ports" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "router_l3_agents_agent_id_index" ON "router_l3_agents" USING btree ("agent_id");
CREATE TABLE "network_contacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"network_id" uuid NOT NULL,
	"name" varchar(255) NOT NULL,
	"email" varchar(255) NOT NULL,
	"notify" boolean NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "network_contacts" ADD CONSTRAINT "network_contacts_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "network_contacts_project_id_index" ON "network_contacts" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "network_contacts_network_id_index" ON "network_contacts" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "network_contacts_expires_at_index" ON "network_contacts" USING btree ("expires_at");